const limited = ['PUBLIC', 'KEY_SET', 'PAGE_EVENTS', 'TEST_EVENTS', 'DRY_RUNS']

/** Settings with which no rate is reached. */
export const unreachedRates = Object.fromEntries(limited.map((name) => [`SIGNET_RATE_${name}`, '100000/100000']))
