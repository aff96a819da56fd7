/** Requests open at once. */
const atOnce = 20

// biome-ignore lint/suspicious/noExplicitAny: each caller knows what it asked for
type Result = any
export type Client = { post(path: string, body: object): Promise<Result> }

/** Calls of the interface that make something; gives the `result`. */
export function clientOf(port: number, headers: Record<string, string>): Client {
  const post = async (path: string, body: object) => {
    const answer = await fetch(`http://localhost:${port}${path}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (answer.status !== 201) throw new Error(`POST ${path}: ${await answer.text()}`)
    return ((await answer.json()) as { result: Result }).result
  }
  return { post }
}

export async function times<One>(count: number, one: (n: number) => Promise<One>): Promise<One[]> {
  const results: One[] = []
  while (results.length < count) {
    const length = Math.min(atOnce, count - results.length)
    results.push(...(await Promise.all(Array.from({ length }, (_, place) => one(results.length + place)))))
  }
  return results
}
