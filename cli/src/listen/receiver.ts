import { setTimeout as wait } from 'node:timers/promises'
import { reasonOf } from '../failure.ts'
import { version } from '../version.ts'

/** Of an event that is delivered (6.2, rule 6). */
const timeoutMs = 10_000
const firstPauseMs = 100
const maxPauseMs = 2_000
/** Of an answer that is shown: so much, and for so long. */
const maxBodyBytes = 4_096
const bodyTimeoutMs = 500

export type Answer = { status: number; duration_ms: number; body: string }

/** Posts until the receiver answers, whatever it answers: what has no answer would be lost. Rejects by `signal` alone. */
export async function post(url: string, jwt: string, { onSilent, ...posting }: Posting): Promise<Answer> {
  const { signal } = posting
  for (let pause = firstPauseMs; ; pause = Math.min(2 * pause, maxPauseMs)) {
    try {
      return await postOnce(url, jwt, posting)
    } catch (error) {
      signal.throwIfAborted()
      if (pause === firstPauseMs) await onSilent(reasonOf(error))
    }
    await wait(pause, undefined, { signal })
  }
}

type Posting = { signal: AbortSignal; isBodyShown: boolean; onSilent: (reason: string) => Promise<void> }

async function postOnce(url: string, jwt: string, { signal, isBodyShown }: Omit<Posting, 'onSilent'>): Promise<Answer> {
  const began = performance.now()
  const reply = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/jwt', 'User-Agent': `Signet-listen/${version}` },
    body: jwt,
    redirect: 'manual',
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
  })
  const duration_ms = Math.round(performance.now() - began)
  // The status decides; a body that breaks off or never ends changes nothing.
  const body = isBodyShown ? await readStart(reply) : ''
  await reply.body?.cancel().catch(() => {})
  return { status: reply.status, duration_ms, body }
}

async function readStart({ body }: Response): Promise<string> {
  const reader = body?.getReader()
  const decoder = new TextDecoder()
  const ending = AbortSignal.timeout(bodyTimeoutMs)
  ending.addEventListener('abort', () => void reader?.cancel().catch(() => {}))
  let text = ''
  try {
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true }
      if (done) return ending.aborted ? `${text}…` : text
      text += decoder.decode(value, { stream: true })
      if (text.length > maxBodyBytes) return `${text.slice(0, maxBodyBytes)}…`
    }
  } catch {
    return text
  } finally {
    reader?.releaseLock()
  }
}
