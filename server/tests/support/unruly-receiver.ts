import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Certified } from '../../../scripts/certificates.ts'

/** What meets a caller before TLS. */
export type Handshake = 'silent' | 'closed at once' | 'reset at once' | 'reset after hello' | 'plain HTTP'

export type UnrulyReceiver = {
  port: number
  /** Where no TLS is spoken. */
  ports: Record<Handshake, number>
  stop(): Promise<void>
}

/** An HTTPS receiver in another process that answers as no server should; its paths are in `unruly-receiver-process.ts`. */
export async function startUnrulyReceiver(certified: Certified): Promise<UnrulyReceiver> {
  const child = fork(join(import.meta.dirname, 'unruly-receiver-process.ts'))
  child.send(certified)
  const [listening] = (await once(child, 'message')) as [Pick<UnrulyReceiver, 'port' | 'ports'>]
  return {
    ...listening,
    stop: async () => {
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}
