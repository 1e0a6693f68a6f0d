#include <stdio.h>

typedef enum { MON = 1, TUE, WED, THU, FRI, SAT = 10, SUN } Day;
enum color { RED, GREEN = 5, BLUE };

const char *name(Day d) {
    switch (d) {
    case MON: return "Monday";
    case TUE: return "Tuesday";
    case FRI: return "Friday";
    case SAT:
    case SUN: return "weekend";
    default: return "midweek";
    }
}

int days(int month, int year) {
    switch (month) {
    case 2: return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28;
    case 4: case 6: case 9: case 11: return 30;
    }
    return 31;
}

int main(void) {
    for (Day d = MON; d <= SUN; d++) {
        if (d == 6) d = SAT;
        printf("%d %s\n", d, name(d));
    }
    printf("%d %d %d\n", RED, GREEN, BLUE);
    printf("%d %d %d %d\n", days(2, 1900), days(2, 2000), days(2, 2024), days(9, 2023));
    int fall = 0;
    switch (BLUE) {
    case 5: fall += 1;
    case 6: fall += 10;
    case 7: fall += 100; break;
    case 8: fall += 1000;
    }
    return fall;
}
