import { isQuick } from './options.ts'

/** The first number, or the second one in a quick run. */
export const orQuick = (full: number, quick: number): number => (isQuick ? quick : full)
