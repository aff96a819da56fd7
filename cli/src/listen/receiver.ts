import { setTimeout as wait } from 'node:timers/promises'
import { reasonOf } from '../failure.ts'
import { version } from '../version.ts'

/** Of an event that is delivered (6.2, rule 6). */
const timeoutMs = 10_000
const firstPauseMs = 100
const maxPauseMs = 2_000
/** Of an answer that is shown. */
const maxBodyBytes = 4_096

export type Answer = { status: number; duration_ms: number; body: string }

/** Posts until the receiver answers, whatever it answers: what has no answer would be lost. Rejects by `signal` alone. */
export async function post(url: string, jwt: string, { signal, onSilent }: Posting): Promise<Answer> {
  for (let pause = firstPauseMs; ; pause = Math.min(2 * pause, maxPauseMs)) {
    try {
      return await postOnce(url, jwt, signal)
    } catch (error) {
      signal.throwIfAborted()
      if (pause === firstPauseMs) await onSilent(reasonOf(error))
    }
    await wait(pause, undefined, { signal })
  }
}

type Posting = { signal: AbortSignal; onSilent: (reason: string) => Promise<void> }

async function postOnce(url: string, jwt: string, signal: AbortSignal): Promise<Answer> {
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
  return { status: reply.status, duration_ms, body: await readStart(reply).catch(() => '') }
}

async function readStart(reply: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const piece of (reply.body ?? []) as AsyncIterable<Uint8Array>) {
    text += decoder.decode(piece, { stream: true })
    if (text.length > maxBodyBytes) return `${text.slice(0, maxBodyBytes)}…`
  }
  return text
}
