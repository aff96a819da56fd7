import { setTimeout as wait } from 'node:timers/promises'
import { chanceOf } from '../../../faults/support/suite.ts'
import type { Fleet } from '../../../processes/support/fleet.ts'

export type Killing = {
  done: number
  isOver(): boolean
  /** Resolves once no process is being started again. */
  stop(): Promise<void>
}

/** Each process is killed and started again, whatever the others do, until so many kills are done. */
export function killAtRandom(fleet: Fleet, count: number, pauseMs: number): Killing {
  let [begun, isStopped, isOver] = [0, false, false]
  const killAgain = async (number: number) => {
    const chance = chanceOf(`kills of ${number}`)
    while (begun < count && !isStopped) {
      begun++
      await wait(chance() * pauseMs)
      await fleet.kill(number)
      killing.done++
    }
  }
  const working = Promise.all(Array.from({ length: fleet.size }, (_, number) => killAgain(number))).finally(() => {
    isOver = true
  })
  working.catch(() => {})
  const killing: Killing = {
    done: 0,
    isOver: () => isOver,
    stop: async () => {
      isStopped = true
      await working
    },
  }
  return killing
}
