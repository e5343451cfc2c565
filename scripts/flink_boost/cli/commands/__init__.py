"""One module per subcommand of ``flink-boost``; each exposes a Click command called ``command``.

The modules are thin: they turn options into a call of a core module and print what it returns.
``flink_boost.cli.main`` finds them by name and imports only the one that is called.
"""
