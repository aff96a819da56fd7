/** `--quick`: a run of seconds, to see whether it works; its figures mean nothing and are not kept. */
export const isQuick = process.argv.includes('--quick')

/** The first of them, but the second in a quick run. */
export const orQuick = (full: number, quick: number): number => (isQuick ? quick : full)
