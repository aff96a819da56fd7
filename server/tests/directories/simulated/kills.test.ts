import { setTimeout as wait } from 'node:timers/promises'
import { expect, inject, type TestContext, test } from 'vitest'
import { chanceOf, tell } from '../../faults/support/suite.ts'
import { testDatabase } from '../../support/database.ts'
import { ofForm } from '../../support/form.ts'
import { startInstallation } from './support/installation.ts'
import { type Killing, killAtRandom } from './support/kill-at-random.ts'
import { openSides, type Side } from './support/sides.ts'
import { startSigningIn } from './support/sign-ins.ts'
import { differencesOfAll } from './support/verdict.ts'

/** Of both processes together. */
const kills = ofForm(4, 200)
/** Before each of them, at most. */
const killPauseMs = ofForm(1_500, 10_000)
/** Of each of the four directories, at the beginning. */
const size = ofForm({ people: 10, groups: 3 }, { people: 5_000, groups: 20 })
/** Between two cycles of a client. */
const changes = ofForm(10, 200)
const cyclePauseMs = ofForm(300, 1_000)
const signInPauseMs = ofForm(50, 100)
/** It goes on until so many sessions have ended, so that there is something to see. */
const endedSessions = ofForm(1, 100)
const progressMs = 20_000
/** Differences. */
const shown = 20

test('Four directories are brought to two processes that are killed at random, and nothing differs in the end', {
  timeout: ofForm(120_000, 2_400_000),
}, async (context) => {
  const database = await testDatabase()
  context.onTestFinished(database.drop)
  const installation = await startInstallation(context, database)
  const { fleet, tenants } = installation
  const { failures, url: address } = fleet.balancer
  const sides = openSides(tenants)
  const chance = chanceOf('sign-ins')
  const signedIn = startSigningIn({ sides, address, failures, pauseMs: signInPauseMs, chance })
  const killing = killAtRandom(fleet, kills, killPauseMs)
  context.onTestFinished(killing.stop)
  showProgress(context, sides, killing)
  const isGoingOn = () => !killing.isOver() || signedIn.ended() < endedSessions
  await Promise.all(sides.map((side) => bringWhile(side, isGoingOn)))
  await signedIn.stop()
  await Promise.all(sides.map(({ client }) => client.finish()))
  const differences = await differencesOfAll({ ...installation, database, sides, sessions: signedIn.sessions })
  const counts = { sessions: signedIn.sessions.length, ended: signedIn.ended(), 'sign-ins refused': signedIn.refused }
  tell('directories', { kills: killing.done, ...countsOf(sides), ...counts, differences: differences.length })
  expect(signedIn.unexpected).toEqual([])
  // Where both were away, the balancer itself has answered.
  expect(fleet.unexplained().filter(({ backend }) => backend >= 0)).toEqual([])
  expect(differences.slice(0, shown)).toEqual([])
})

async function bringWhile({ random, client }: Side, isGoingOn: () => boolean) {
  random.begin(size.people, size.groups)
  await client.cycle()
  while (isGoingOn()) {
    random.change(changes)
    await client.cycle()
    await wait(cyclePauseMs)
  }
}

function showProgress({ onTestFinished }: TestContext, sides: Side[], killing: Killing) {
  console.log(`directories: SIGNET_FAULTS_SEED=${inject('faultsSeed')}`)
  const began = performance.now()
  const show = () => {
    const seconds = Math.round((performance.now() - began) / 1_000)
    console.log(`directories: after ${seconds} s ${killing.done} of ${kills} kills, ${JSON.stringify(countsOf(sides))}`)
  }
  const showing = setInterval(show, progressMs)
  onTestFinished(() => clearInterval(showing))
}

function countsOf(sides: Side[]) {
  const sum = (count: (side: Side) => number) => sides.reduce((total, side) => total + count(side), 0)
  return {
    people: sum(({ directory }) => directory.people.size),
    groups: sum(({ directory }) => directory.groups.size),
    cycles: sum(({ client }) => client.cycles()),
    requests: sum(({ requests }) => requests.counts.requests),
    again: sum(({ requests }) => requests.counts.again),
    limited: sum(({ requests }) => requests.counts.limited),
  }
}
