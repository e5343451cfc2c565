"""What an operator's wheel needs: install, verify, uninstall, doctor, dist."""
