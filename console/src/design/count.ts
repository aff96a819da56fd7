/** A number of things that are counted up to `most`: `1,000+` where there may be more. */
export const countUpTo = (count: number, most: number) => `${count.toLocaleString()}${count >= most ? '+' : ''}`
