# GREEN: pytest.toml
# begins with: wrong
write(
    "pytest.toml",
    """\
[pytest]
addopts = ['-k', 'greets']
""",
)
