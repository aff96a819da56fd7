import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** A process of its own that answers what it is told, one thing at a time. It ends with this process, however that ends. */
export type Program = { pid: number; ask<Answer>(question: unknown): Promise<Answer> }

export async function startProgram(file: string, settings: unknown, cleanup: AsyncDisposableStack): Promise<Program> {
  const child = fork(join(import.meta.dirname, '..', file), [JSON.stringify(settings)])
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`bench/${file} ended with ${code}`)))
  ended.catch(() => {})
  cleanup.defer(() => void child.kill())
  const ask = async <Answer>(question: unknown) => {
    child.send(question as object)
    const [answer] = await Promise.race([once(child, 'message'), ended])
    return answer as Answer
  }
  return { pid: child.pid ?? 0, ask }
}
