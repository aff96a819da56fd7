const callMs = 60_000

/** Gives the `result` of the answer, or the whole of a bare one; of an empty one an empty object. */
export type Call = <Result = Record<string, unknown>>(method: string, path: string, body?: object) => Promise<Result>

/** For calls to Signet with these headers. `tell` is told each request and each answer. */
export function caller(
  baseUrl: string,
  headers: Record<string, string>,
  tell: (line: string) => void = () => {},
): Call {
  return async (method, path, body) => {
    tell(`${method} ${path}${body ? ` ${JSON.stringify(body)}` : ''}`)
    const json = body ? { headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) } : {}
    const signal = AbortSignal.timeout(callMs)
    const response = await fetch(`${baseUrl}${path}`, { method, headers, ...json, signal })
    const answer = await response.text()
    tell(`${response.status} ${answer}`)
    if (!response.ok) throw new Error(`${method} ${path} was answered with ${response.status} ${answer}`)
    const { result, ...bare } = JSON.parse(answer || '{}')
    return result ?? bare
  }
}
