#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    char name[16];
    int age;
    unsigned char grade;
} Person;

static int by_age(const void *x, const void *y) {
    const Person *a = x, *b = y;
    return a->age - b->age;
}

static int by_name(const void *x, const void *y) {
    return strcmp(((const Person *)x)->name, ((const Person *)y)->name);
}

int main(void) {
    Person people[] = {{"Grace", 45, 'A'}, {"Alan", 41, 'B'}, {"Edsger", 72, 'A'},
                       {"Ada", 36, 'C'}, {"Barbara", 41, 'B'}};
    int n = sizeof(people) / sizeof(Person);
    qsort(people, n, sizeof(Person), by_age);
    for (int i = 0; i < n; i++)
        printf("%-10s|%3d|%c\n", people[i].name, people[i].age, people[i].grade);
    qsort(people, n, sizeof people[0], by_name);
    for (Person *p = people; p < people + n; p++) printf("%s ", p->name);
    printf("\n%d\n", (int)sizeof(Person));
    return 0;
}
