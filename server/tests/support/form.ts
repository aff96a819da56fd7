/** `SIGNET_TEST_FORM=long`: many more tries, and waits that end by themselves; the suites of `tests/suites.ts` that end in `-long` set it. */
export const isLong = process.env.SIGNET_TEST_FORM === 'long'

export const ofForm = <Value>(short: Value, long: Value): Value => (isLong ? long : short)
