/** How spans and log lines go to a collector, whatever the library's own defaults are: what waits beyond the queue is dropped. */
export const batches = { maxQueueSize: 2_048, scheduledDelayMillis: 1_000 }
