"""A function of 200 operations, one of them a division."""

print("func.func @f(%v0: i32, %w: i32) -> i32 {")
for i in range(200):
    name = "divsi" if i == 57 else ("addi", "muli", "xori")[i % 3]
    print(f"  %v{i + 1} = arith.{name} %v{i}, %w : i32")
print("  return %v200 : i32\n}")
