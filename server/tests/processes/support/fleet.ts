import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '../../../../scripts/free-port.ts'
import { type Signet, type SignetOptions, startSignet } from '../../support/signet.ts'
import { type Balancer, type Failure, startBalancer } from './balancer.ts'

/** Several processes of one installation behind a balancer. */
export type Fleet = {
  balancer: Balancer
  size: number
  operatorKey: string
  /** Ends it without a word, and starts it again. */
  kill(number: number): Promise<void>
  /** It does nothing for so long; then it goes on, or is killed and started again. */
  freeze(number: number, ms: number, end: 'woken' | 'killed'): Promise<void>
  /** As an update does: by SIGTERM, and started again, perhaps as another program. */
  restart(number: number, as?: string, program?: string): Promise<void>
  /** Requests that failed on a process though nothing happened to it, or though it was only stopped and had the time for them. */
  unexplained(): Failure[]
  /** What the processes said. */
  output(): string
  stop(): Promise<(number | null)[]>
}

/** What was done to a process: requests that were sent to it meanwhile, and took longer than `graceMs`, may fail. */
type Disturbance = { number: number; begun: number; ended: number; graceMs: number }

/** A process that is stopped gives requests in progress so long. */
const stopWaitMs = 3_000

type Options = SignetOptions & {
  size: number
  /** Each process is this program, until it is restarted as another one. */
  program?: string
}

export async function startFleet({ size, program, ...options }: Options): Promise<Fleet> {
  const ports = await Promise.all(Array.from({ length: size }, freePort))
  const programs = Array.from({ length: size }, () => program)
  const start = (number: number) => {
    const [port, own] = [ports[number] as number, programs[number]]
    return startSignet({ ...options, port, ...(own !== undefined && { program: own }) })
  }
  const processes = await Promise.all(ports.map((_, number) => start(number)))
  const said: string[] = []
  const balancer = await startBalancer({ ports })
  await Promise.all(ports.map((_, number) => balancer.untilUp(number)))
  const disturbances: Disturbance[] = []
  const begun = performance.now()

  const at = (number: number) => processes[number] as Signet
  const startAgain = async (number: number) => {
    said.push(at(number).output())
    processes[number] = await start(number)
    await balancer.untilUp(number)
  }
  /** Says in one line what was done to a process. */
  const tell = async (number: number, what: string, action: () => Promise<void>) => {
    const [at, before] = [performance.now(), balancer.failures.length]
    await action()
    const failed = balancer.failures.slice(before).filter(({ backend }) => backend === number).length
    console.log(
      `processes: at ${seconds(at - begun)} s process ${number} was ${what}, ready after ${seconds(performance.now() - at)} s; requests that failed on it: ${failed}`,
    )
  }
  const disturb = (number: number, what: string, action: () => Promise<void>, graceMs = 0) =>
    tell(number, what, async () => {
      const disturbance = { number, begun: performance.now(), ended: Number.POSITIVE_INFINITY, graceMs }
      disturbances.push(disturbance)
      await action()
      disturbance.ended = performance.now()
    })
  const killNow = async (number: number) => {
    await at(number).kill()
    await startAgain(number)
  }
  return {
    balancer,
    size,
    operatorKey: at(0).operatorKey,
    kill: (number) => disturb(number, 'killed', () => killNow(number)),
    freeze: (number, ms, end) =>
      disturb(number, `frozen for ${seconds(ms)} s, then ${end}`, async () => {
        at(number).process.kill('SIGSTOP')
        await wait(ms)
        if (end === 'killed') return killNow(number)
        at(number).process.kill('SIGCONT')
        await balancer.untilUp(number)
      }),
    restart: (number, as = 'itself', newProgram = programs[number]) => {
      const replace = async () => {
        programs[number] = newProgram
        const code = await at(number).stop()
        if (code !== 0) throw new Error(`process ${number} ended with ${code}:\n${at(number).output()}`)
        await startAgain(number)
      }
      return disturb(number, `restarted as ${as}`, replace, stopWaitMs)
    },
    unexplained: () =>
      balancer.failures.filter(
        ({ backend, begun, ended }) =>
          !disturbances.some(
            (disturbance) =>
              disturbance.number === backend &&
              disturbance.begun < ended &&
              begun < disturbance.ended &&
              ended - begun >= disturbance.graceMs,
          ),
      ),
    output: () => [...said, ...processes.map((signet) => signet.output())].join('\n'),
    stop: async () => {
      await balancer.stop()
      return Promise.all(processes.map((signet) => signet.stop()))
    },
  }
}

const seconds = (ms: number) => (ms / 1000).toFixed(1)
