import { setTimeout as wait } from 'node:timers/promises'
import { chanceOf } from '../../faults/support/suite.ts'
import { isLong } from '../../support/form.ts'
import type { Fleet } from './fleet.ts'

const kinds = {
  killed: (fleet: Fleet, number: number) => fleet.kill(number),
  frozen: (fleet: Fleet, number: number, chance: () => number) =>
    fleet.freeze(number, freezeMs(chance), chance() < 0.5 ? 'woken' : 'killed'),
  restarted: (fleet: Fleet, number: number) => fleet.restart(number),
}
type Kind = keyof typeof kinds
const kindNames = Object.keys(kinds) as Kind[]

/** In the long form also beyond the 5 s after which a dead process is taken for one, 10 s of an open transaction, 25 s of a lease. */
function freezeMs(chance: () => number): number {
  const longest = isLong ? ([4_000, 4_000, 8_000, 15_000, 45_000][Math.floor(chance() * 5)] ?? 0) : 3_000
  return longest * (0.5 + chance() / 2)
}

/** Of the processes that nothing happens to, one is always left; each kind comes once at the beginning. */
export async function breakAtRandom(fleet: Fleet, count: number, pauseMs: number): Promise<Record<Kind, number>> {
  const done = { killed: 0, frozen: 0, restarted: 0 }
  const offset = Math.floor(chanceOf('first fault')() * kindNames.length)
  let begun = 0
  let underWay = 0
  const breakAgain = async (number: number) => {
    const chance = chanceOf(`process ${number}`)
    for (let index = offset + number; begun < count; index = Math.floor(chance() * kindNames.length)) {
      begun++
      await wait(chance() * pauseMs)
      while (underWay >= fleet.size - 1) await wait(20)
      underWay++
      const kind = kindNames[index % kindNames.length] as Kind
      await kinds[kind](fleet, number, chance)
      done[kind]++
      underWay--
    }
  }
  await Promise.all(Array.from({ length: fleet.size }, (_, number) => breakAgain(number)))
  return done
}
