/* Traffic rules: what a car does, given what it sees and how it drives.
 *
 * The host sets the first seven before each run of main and reads the last one after it.
 */
enum { NONE, GREEN, AMBER, RED };        /* light */
enum { NO_SIGN, YIELD, STOP_SIGN };      /* sign */
enum { STOP, SLOWER, KEEP, FASTER };     /* action */

int light, sign, person, gap;            /* what the network sees; gap: 0 (close) to 3 (free) */
int speed, waited;                       /* what the car knows: 0 to 3; stood at this sign */
int action;

int main(void) {
    int most = gap;                      /* no faster than the distance to the next car */
    action = STOP;
    if (person || light == RED || gap == 0) return 0;
    if (light == AMBER) {
        if (speed <= 1) return 0;        /* slow enough to stop */
        if (speed < most) most = speed;
    }
    if (light == NONE) {                 /* a working light overrides the sign */
        if (sign == STOP_SIGN && !waited) return 0;
        if (sign == YIELD) most = 1;
    }
    action = speed > most ? SLOWER : speed < most ? FASTER : KEEP;
    return 0;
}
