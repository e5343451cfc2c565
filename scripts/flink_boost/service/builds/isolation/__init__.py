"""Code of strangers: built and run where it can reach nothing, and what it leaves is checked.

How it is called, from first to last::

    sandbox = choose_sandbox(environ)     # NoIsolation, exit code 35, where there is none
    with fresh_workplace(folder, sandbox.owners, disk=limits.disk) as work:
        ended = sandbox.run(argv, work=work, readable=jars, environment={}, limits=limits,
                            log=folder / "build.log", mirrors=False)
        fetch_file(work, "result.json", target, most=MOST_RESULT)    # RefusedResult, exit code 36

Builds and forks have doors of their own: ``RecipeBuilder(..., launch=IsolatedBuilds(...))`` and
``ForkRerun(..., launch=IsolatedForks(...))``. What is defended and what is not:
docs/threat-model.md.
"""
