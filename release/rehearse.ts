// `npm run release:rehearse [-- <folder>]`: makes everything of a release of the commit that is checked out, proves of it what can be proved
// on this machine, and prints a table. It publishes nothing but to a registry on loopback, and leaves nothing but the folder, by default
// dist/release-<version>. Explained in docs/build/releasing.md.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { makeArtifacts } from './artifacts/make-artifacts.ts'
import { makeCopy } from './copy.ts'
import { openJournal } from './journal.ts'
import { makeRoom } from './make-room.ts'
import { notTriedHere } from './not-tried-here.ts'
import { startRegistry } from './registry.ts'
import { cleanup, runToEnd } from './run.ts'
import { drawTable } from './table.ts'
import { makeTrials } from './trials/make-trials.ts'
import { openWorkplace } from './workplace.ts'

const root = resolve(import.meta.dirname, '..')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const usual = join(root, `dist/release-${version}`)
const folder = resolve(process.argv[2] ?? usual)
const logs = `${folder}-logs`

const journal = openJournal((line) => console.log(`${new Date().toTimeString().slice(0, 8)}  ${line}`))
const isGood = () => isFinished && journal.rows.every(({ result }) => result !== 'failed')
let isFinished = false

const failure = await runToEnd(rehearse)
console.log(`\n${drawTable(journal.rows)}\n`)
if (failure) console.error(`Not finished: ${failure.message}`)
const isProved = !failure && isGood()
console.log(isProved ? `Proved, as far as it can be here: ${folder}` : `Not proved; logs: ${logs}`)
process.exit(isProved ? 0 : 1)

async function rehearse() {
  for (const each of [folder, logs]) makeRoom(each, folder === usual)
  const place = openWorkplace()
  cleanup.defer(async () => {
    if (!isGood()) place.keepLogs(logs)
  })
  mkdirSync(folder, { recursive: true })
  const copy = await makeCopy(place)
  const registry = await journal.prove('registry', 'verdaccio on loopback', () => startRegistry(place))
  if (!registry) throw new Error('without a registry nothing else can be tried')
  const release = { copy, folder, registry, place, journal }
  const image = await makeArtifacts(release)
  await makeTrials(release, image)
  for (const [subject, reason] of notTriedHere) journal.cannot(subject, reason)
  writeFileSync(join(folder, 'rehearsal.md'), `${drawTable(journal.rows)}\n`)
  isFinished = true
}
