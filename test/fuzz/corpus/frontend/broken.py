import tegula.language as tl

def f(:
    x = (1, [2, {3: 4)
  y = 1
    'open
é = 0777 + 1__0 + 0xg + "\x" f"{" f"{a!z}" ¡
class:
return) ]
if x
    pass
