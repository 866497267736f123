# GREEN: pyproject.toml
# begins with: wrong
write(
    "pyproject.toml",
    """\
[tool.pytest.ini_options]
addopts = '-k greets'
""",
)
