# A CSV of a busy microcontroller: interrupts, tasks with deadlines that they sometimes miss, markers, gaps.
#
#     awk -v spans=1000000 -f trace.awk
function random() { # the same on every machine: a linear congruential generator
    state = (state * 1103515245 + 12345) % 2147483648
    return state / 2147483648
}

BEGIN {
    state = 1
    lanes = 20
    print "name,type,start_us,end_us,priority,deadline_us,value,interrupted"
    for (i = 0; i < lanes; i++) {
        isr[i] = i < 6
        period[i] = isr[i] ? 20 + 7 * i : 50 * (i - 4)
        at[i] = 3 * i
    }
    for (n = 0; n < spans; n++) {
        next_lane = 0
        for (i = 1; i < lanes; i++) if (at[i] < at[next_lane]) next_lane = i
        i = next_lane
        start = at[i]
        length_us = period[i] * (0.1 + 0.2 * random())
        late = !isr[i] && random() < 0.0005
        if (late) length_us = period[i] * 0.9
        deadline = isr[i] ? "" : sprintf("%.3f", start + period[i] * 0.8)
        printf "%s_%d,%s,%.3f,%.3f,%d,%s,,0\n", isr[i] ? "isr" : "task", i, isr[i] ? "isr" : "task",
            start, start + length_us, lanes - i, deadline
        at[i] += period[i] + random()
        if (n % 10 == 0) printf "reading,marker,%.3f,%.3f,0,,%d,0\n", start, start, n
        if (n % 50000 == 49999) printf "trace gap,gap,%.3f,%.3f,0,,%d,0\n", start, start + 5, n % 97
    }
}
