/** Lets so many through at once; the others wait in line. */
export function createTurnstile(atOnce: number) {
  const line: (() => void)[] = []
  let inside = 0
  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (inside >= atOnce) await new Promise<void>((resolve) => line.push(resolve))
    else inside++
    try {
      return await work()
    } finally {
      const next = line.shift()
      if (next) next()
      else inside--
    }
  }
}
