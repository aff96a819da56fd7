/** Milliseconds of the clock that all processes of the machine share and nobody sets: times of several can be compared. */
export const monotonicMs = (): number => Number(process.hrtime.bigint()) / 1e6

export const until = (at: number) => new Promise((resolve) => setTimeout(resolve, Math.max(0, at - monotonicMs())))
