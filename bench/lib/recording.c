#include <stdlib.h>
#include <string.h>

#include "lib/bench.h"
#include "wire/frame.h"

#define DICTIONARY_NS 2000000000

struct device {
    uint8_t *bytes;
    size_t size;
    uint32_t sequence;
    int64_t clock;
    uint64_t random;
};

static const struct wire_frame names[] = {
    {.name = "gyro_isr", .source = WIRE_SOURCE_ISR, .priority = 12},
    {.name = "control_task",
     .source = WIRE_SOURCE_TASK,
     .priority = 4,
     .has_deadline = true,
     .deadline_ms = 10},
    {.name = "log_task", .source = WIRE_SOURCE_TASK, .priority = 1},
    {.name = "uart_isr", .source = WIRE_SOURCE_ISR, .priority = 9},
    {.name = "queue_depth", .source = WIRE_SOURCE_TASK},
};

enum { GYRO = 1, CONTROL, LOG, UART, DEPTH };

static void put(struct device *device, struct wire_frame frame)
{
    frame.sequence = device->sequence++ & 16383;
    device->size += stave__wire_frame_encode(WIRE_VERSION_2, &frame, device->bytes + device->size);
}

static void put_dictionary(struct device *device)
{
    put(device, (struct wire_frame){.kind = WIRE_TRACE_START, .ticks = device->clock});
    for (uint32_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct wire_frame frame = names[i];
        frame.kind = WIRE_NAME_REGISTERED;
        frame.name_id = i + 1;
        frame.name_size = (uint32_t)strlen(frame.name);
        frame.ticks = device->clock;
        put(device, frame);
    }
}

static uint32_t random_below(struct device *device, uint32_t limit)
{
    device->random = device->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((device->random >> 33) % limit);
}

/* An event after `least` to `least + spread` nanoseconds. */
static void put_event(struct device *device, uint32_t kind, uint32_t id, uint32_t least,
                      uint32_t spread)
{
    int64_t delta = least + (int64_t)random_below(device, spread);
    struct wire_frame frame = {.kind = kind, .name_id = id, .ticks = delta};
    device->clock += delta;
    if (kind == WIRE_MARKER) {
        frame.has_value = true;
        frame.value = random_below(device, 4000);
    }
    put(device, frame);
}

static void put_round(struct device *device)
{
    put_event(device, WIRE_SPAN_START, CONTROL, 2000, 400000);
    put_event(device, WIRE_SPAN_START, GYRO, 500, 90000);
    put_event(device, WIRE_SPAN_END, GYRO, 300, 9000);
    put_event(device, WIRE_MARKER, DEPTH, 10, 300);
    put_event(device, WIRE_SPAN_START, UART, 100, 20000);
    put_event(device, WIRE_SPAN_END, UART, 100, 3000);
    put_event(device, WIRE_SPAN_END, CONTROL, 1000, 60000);
    put_event(device, WIRE_SPAN_START, LOG, 1000, 9000);
    put_event(device, WIRE_SPAN_END, LOG, 1000, 900000);
}

uint8_t *bench_recording(size_t size, size_t *actual_size)
{
    struct device device = {.bytes = malloc(size + 16 * WIRE_FRAME_MAX), .random = 7};
    int64_t last_dictionary = INT64_MIN / 2;
    if (device.bytes == NULL)
        abort();
    while (device.size < size) {
        if (device.clock - last_dictionary > DICTIONARY_NS) {
            put_dictionary(&device);
            last_dictionary = device.clock;
        }
        put_round(&device);
    }
    *actual_size = device.size;
    return device.bytes;
}
