/** `SIGNET_PROCESSES=long`: ten minutes, and freezes beyond every lease. */
export const isLong = process.env.SIGNET_PROCESSES === 'long'
