int count(void) { static int calls = 3; return ++calls; }
int main(void) { count(); count(); return count() * 10 + count(); }
