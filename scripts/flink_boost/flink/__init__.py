"""Which releases, JDKs and downloads there are; what an installation is and would start."""
