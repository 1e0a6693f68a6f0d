#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>
struct Noisy { const char *n; Noisy(const char *n) : n(n) { std::printf("+%s\n", n); } ~Noisy() { std::printf("-%s\n", n); } };
struct Mine : std::runtime_error { int code; Mine(int c) : std::runtime_error("mine"), code(c) {} };
static void thrower(int k) {
  Noisy a("a");
  if (k == 0) throw 42;
  if (k == 1) throw Mine(7);
  if (k == 2) { std::vector<int> v(3); std::printf("%d\n", v.at(5)); }
  if (k == 3) throw std::string("text");
  std::puts("no throw");
}
static void middle(int k) { Noisy b("b"); try { Noisy c("c"); thrower(k); } catch (const Mine &m) { std::printf("rethrow %d\n", m.code); throw; } }
int main() {
  void (*volatile f)(int) = middle;
  for (int k = 0; k < 5; k++) {
    try { f(k); }
    catch (int i) { std::printf("int %d\n", i); }
    catch (const std::exception &e) { std::printf("std %s\n", e.what()); }
    catch (...) { std::puts("other"); }
  }
  try { try { throw 1; } catch (int) { throw std::logic_error("nested"); } } catch (std::logic_error &e) { std::puts(e.what()); }
  std::printf("end\n");
  return 3;
}
