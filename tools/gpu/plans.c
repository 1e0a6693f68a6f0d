/* The native engine with its plans open: to run many rows in one session, and to hand plans out. */
#include "engine.c"

/* Empties a session; its plans stay. */
void plans_reset(Session *s) {
    const TableRecord *record = (const TableRecord *)(s->image + s->model->table);
    for (word i = 0; i < s->model->tables; i++) {
        uint64_t limit = s->tables[i].oblivion.limit;
        table_close(&s->tables[i]);
        table_open(&s->tables[i], s->image, &record[i]);
        oblivion_open(&s->tables[i], limit);
    }
    s->length = s->computed = 0;
}

word plans_size(const Session *s) { return s->plan_count; }

const Plan *plans_get(const Session *s, word which) { return s->plans[which]; }

word plans_classes(const Session *s, word table, uint64_t *bits) {
    const Table *t = &s->tables[table];
    for (int i = 0; i < t->class_count; i++) bits[i] = t->classes[i].bits;
    return t->crowded ? -1 : t->class_count;
}
