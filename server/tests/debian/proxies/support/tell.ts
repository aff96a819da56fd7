/** Says in one line what was done. */
export const tell = (line: string) => console.log(`proxies: ${line}`)
