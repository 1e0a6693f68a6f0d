int main(void) {
    int i = 0, s = 0;
again:
    if (i == 6) goto done;
    s += i++;
    goto again;
done:
    return s;
}
