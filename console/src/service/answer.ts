import { SignetError } from '@signet/management'
import { reach } from '../network/network.ts'

/** What is asked of the console's own routes. A redirect is somebody else's: it is not followed. */
export const ask = (url: string, init: RequestInit): Promise<Response> =>
  reach(url, { ...init, redirect: 'manual' }).catch((cause) => {
    throw new SignetError(cause)
  })

/** Whether Signet itself says it: a proxy answers with a page of its own. */
export const isOfSignet = ({ headers }: Response) => headers.get('Content-Type')?.includes('json') === true

/** The `result` of the reply; what is a refusal, or not Signet's, is thrown. */
export async function resultOf<Result>(reply: Response): Promise<Result> {
  const content = await contentOf(reply)
  if (!reply.ok || content?.result === undefined) throw new SignetError(content, reply)
  return content.result as Result
}

/** Of a reply that has no content where all is well. */
export async function requireDone(reply: Response): Promise<void> {
  if (reply.status !== 204) throw new SignetError(await contentOf(reply), reply)
}

const contentOf = (reply: Response): Promise<{ result?: unknown } | undefined> => reply.json().catch(() => undefined)

/** One of the console's own files that is no script. */
export async function readFile(url: string): Promise<string> {
  const reply = await ask(url, {})
  if (!reply.ok) throw new SignetError(undefined, reply)
  return reply.text()
}
