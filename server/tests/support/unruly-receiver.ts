import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Certified } from './certificates.ts'

export type UnrulyReceiver = { port: number; stop(): Promise<void> }

/** An HTTPS receiver in another process that answers as no server should; its paths are in `unruly-receiver-process.ts`. */
export async function startUnrulyReceiver(certified: Certified): Promise<UnrulyReceiver> {
  const child = fork(join(import.meta.dirname, 'unruly-receiver-process.ts'))
  child.send(certified)
  const [{ port }] = (await once(child, 'message')) as [{ port: number }]
  return {
    port,
    stop: async () => {
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}
