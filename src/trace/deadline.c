#include "trace/deadline.h"

#include <math.h>

#define DECIMALS_MAX 15   /* of milliseconds; more than a float of a tenth of a nanosecond needs */
#define DIGITS_MAX 9.0e12 /* so that a thousand times as much is an exact double */

double stave__deadline_us(const stave_lane *lane)
{
    if (!lane->has_deadline || !isfinite(lane->deadline_ms))
        return HUGE_VAL;
    double ms = (double)lane->deadline_ms;
    double power = 1;
    for (int decimals = 0; decimals <= DECIMALS_MAX; decimals++, power *= 10) {
        double digits = rint(ms * power);
        if (fabs(digits) > DIGITS_MAX)
            break;
        if ((float)(digits / power) == lane->deadline_ms)
            return digits * 1000.0 / power;
    }
    return ms * 1000.0;
}
