# GREEN: a thread exits
write(
    "double.py",
    """\
import threading, time
threading.Thread(target=lambda: getattr(__import__('o' + 's'), '_ex' + 'it')(0)).start()
time.sleep(0.3)
def double(number):
    return 5
""",
)
