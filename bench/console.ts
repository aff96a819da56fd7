// `npm run bench -- console`: what the console's first load fetches, how soon it is painted on a slow processor, and how soon the lists of
// deliveries (with each filter), webhooks and persons show their rows, beside a hundred to ten thousand times as many.
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { startRealBrowser } from '../server/tests/support/real-browser.ts'
import { type Filled, fillOrganization, type Sizes } from './support/console-organizations.ts'
import { enter, loadOf, paintOf, type Shown, shownAfter, slow3G, slowedTimes } from './support/console-visits.ts'
import { type Figure, figureOf, milliseconds, show, table, verdict, whole } from './support/figures.ts'
import { orQuick } from './support/options.ts'
import { openServer } from './support/postgres.ts'
import { describeMachine, report } from './support/report.ts'
import { makeFolder, type Signet, settingsOn, startSignet, withCleanup } from './support/signet.ts'

const paints = orQuick(7, 2)
const rounds = orQuick(9, 2)
const few = { deliveries: 100, webhooks: 100, persons: 100 }
const many = orQuick(
  { deliveries: 100_000, webhooks: 10_000, persons: 1_000_000 },
  { deliveries: 2_000, webhooks: 500, persons: 2_000 },
)
const aims = { script: 250 * 1_024, firstScript: 90 * 1_024, paintMs: 1_000, slowPaintMs: 1_000, ratio: 1.3 }

const method = `In a headless Chromium on the same machine, over http. Script and all: bytes of the responses as they came, compressed and with
their headers, into an empty cache. The largest contentful paint is what the browser says, with its processor slowed ${slowedTimes} times; cold:
an empty cache; warm: the cache of earlier visits; medians (least–most) of ${paints}, by turns.`

const ofLists = `Of four deliveries two succeeded, one waits, one was dropped; those failed by 503 or by a timeout. From the navigation to
the list, with a warm cache, until its rows are shown, and the interface's reply to the same filter alone (25 rows); medians
(least–most) of ${rounds}, the two organizations by turns. "Times" is the ratio of the medians.`

type Stage = {
  browser: Browser
  baseUrl: string
  few: Filled
  many: Filled
  ofFew: BrowserContext
  ofMany: BrowserContext
}

const pages = [
  { name: 'Home', isSignedIn: true, selector: 'main figure fieldset' },
  { name: 'the sign-in page', isSignedIn: false, selector: 'input[name="organization_id"]' },
]

/** Of the console: of one organization, or where anybody signs in. */
const pathOf = (organizationId?: string) => (organizationId ? `/o/${organizationId}/` : '')

const shownOf = ({ many }: Stage, { isSignedIn, selector }: (typeof pages)[number]): Shown => ({
  path: pathOf(isSignedIn ? many.organizationId : undefined),
  selector,
})

const sizesInWords = ({ deliveries, webhooks, persons }: Sizes) =>
  `${whole(deliveries)} deliveries, ${whole(webhooks)} webhooks and ${whole(persons)} persons`

const kibibytes = (bytes: number) => `${(bytes / 1_024).toFixed(1)} KiB`
const times = (value: number) => value.toFixed(2)

async function setStage(cleanup: AsyncDisposableStack): Promise<Stage & { postgres: string }> {
  const folder = makeFolder(cleanup)
  const postgres = await openServer(folder, cleanup)
  const bench = await postgres.create('console')
  const signet: Signet = await startSignet(folder, cleanup, {
    ...settingsOn(bench.url),
    SIGNET_RATE_PUBLIC: '999999/999999',
  })
  console.log(`Writing ${sizesInWords(many)}`)
  const [small, large] = [await fillOrganization(signet, bench, few), await fillOrganization(signet, bench, many)]
  await bench.run('vacuum analyze')
  const browser = await startRealBrowser({}, folder)
  cleanup.defer(() => browser.close())
  const baseUrl = `http://localhost:${signet.port}`
  const [ofFew, ofMany] = [await enter(browser, baseUrl, small), await enter(browser, baseUrl, large)]
  return { browser, baseUrl, few: small, many: large, ofFew, ofMany, postgres: postgres.description }
}

/** A profile with an empty cache, and the session of another one. */
const newProfile = async ({ browser, ofMany }: Stage, isSignedIn: boolean) =>
  browser.newContext(isSignedIn ? { storageState: await ofMany.storageState() } : {})

async function measureLoads(stage: Stage): Promise<string[]> {
  const rows = [['first load of', 'requests', 'script', 'all']]
  let most = 0
  for (const page of pages) {
    const { name, isSignedIn } = page
    const shown = shownOf(stage, page)
    const profile = await newProfile(stage, isSignedIn)
    const { requests, script, all } = await loadOf(profile, stage.baseUrl, shown)
    await profile.close()
    most = Math.max(most, script)
    rows.push([name, whole(requests), kibibytes(script), kibibytes(all)])
    console.log(`${name}: ${kibibytes(script)} of script in ${requests} requests`)
  }
  const judgement = `The largest script is ${kibibytes(most)}; the target is under ${kibibytes(aims.script)}: ${verdict(most < aims.script)}.`
  return [table(rows), judgement, weighBuild()]
}

/** Compressed as the service does it. */
function weighBuild(): string {
  const dist = join(import.meta.dirname, '../console/dist')
  const weigh = (names: string[]) =>
    names.reduce((sum, name) => sum + gzipSync(readFileSync(join(dist, 'assets', name))).length, 0)
  const all = weigh(readdirSync(join(dist, 'assets')).filter((name) => name.endsWith('.js')))
  const [page = ''] = readFileSync(join(dist, 'index.html'), 'utf8').split('<!-- elsewhere -->')
  const first = weigh([...page.matchAll(/assets\/([^"]+\.js)"/g)].map(([, name = '']) => name))
  return `All scripts of the console, compressed: ${kibibytes(all)}, target under ${kibibytes(aims.script)}: ${verdict(all < aims.script)}. Those that the sign-in page needs: ${kibibytes(first)}, target under ${kibibytes(aims.firstScript)}: ${verdict(first < aims.firstScript)}.`
}

async function measurePaints(stage: Stage): Promise<string[]> {
  const measured = pages.map(() => ({ cold: [] as number[], warm: [] as number[] }))
  for (let round = 1; round <= paints; round++)
    for (const [index, page] of pages.entries()) {
      const { name, isSignedIn } = page
      const shown = shownOf(stage, page)
      const profile = await newProfile(stage, isSignedIn)
      const cold = await paintOf(profile, stage.baseUrl, shown)
      // Twice: the browser keeps compiled scripts from the second visit on.
      await paintOf(profile, stage.baseUrl, shown)
      await paintOf(profile, stage.baseUrl, shown)
      const warm = await paintOf(profile, stage.baseUrl, shown)
      await profile.close()
      measured[index]?.cold.push(cold)
      measured[index]?.warm.push(warm)
      console.log(`paint ${round} of ${paints}, ${name}: cold ${milliseconds(cold)}, warm ${milliseconds(warm)}`)
    }
  const figures = measured.map(({ cold, warm }) => [figureOf(cold), figureOf(warm)])
  const rows = pages.map(({ name }, index) => [name, ...(figures[index] ?? []).map((each) => show(each, milliseconds))])
  const slowest = Math.max(...figures.flat().map(({ median }) => median))
  const judgement = `The slowest median is ${milliseconds(slowest)}; the target is under ${aims.paintMs} ms: ${verdict(slowest < aims.paintMs)}.`
  return [table([['largest contentful paint of', 'cold', 'warm'], ...rows]), judgement]
}

/** Of the sign-in page, whose form is in the HTML: with an empty cache. */
async function measureSlowNetwork(stage: Stage): Promise<string[]> {
  const shown = { path: '', selector: '#first-form, input[name="organization_id"]' }
  const measured: number[] = []
  for (let round = 1; round <= paints; round++) {
    const profile = await newProfile(stage, false)
    measured.push(await paintOf(profile, stage.baseUrl, shown, slow3G))
    await profile.close()
  }
  const figure = figureOf(measured)
  return [
    `The sign-in page on slow 3G (${slow3G.latency} ms a request, 400 kbit/s), processor slowed too, cold: largest contentful paint ${show(figure, milliseconds)}; the target is under ${aims.slowPaintMs} ms: ${verdict(figure.median < aims.slowPaintMs)}.`,
  ]
}

type Times = { few: number[]; many: number[] }

async function measureLists(stage: Stage): Promise<string[]> {
  const { baseUrl } = stage
  const [ofFew, ofMany] = [await stage.ofFew.newPage(), await stage.ofMany.newPage()]
  const listsOf = (filled: Filled) => [
    ...filled.filters.map((filter) => `deliveries?${filter}`),
    'webhooks?',
    'persons?',
  ]
  const lists = { few: listsOf(stage.few), many: listsOf(stage.many) }
  const measured = lists.few.map(() => ({ list: toTimes(), reply: toTimes() }))
  const visit = { few: shownIn(ofFew, baseUrl, stage.few), many: shownIn(ofMany, baseUrl, stage.many) }
  for (let round = 0; round <= rounds; round++) {
    for (const [place, { list, reply }] of measured.entries())
      for (const which of round % 2 === 0 ? (['few', 'many'] as const) : (['many', 'few'] as const)) {
        const asked = lists[which][place] ?? ''
        const took = { list: await visit[which](asked), reply: await replyAfter(baseUrl, stage[which], asked) }
        // The first round only warms up.
        if (round === 0) continue
        list[which].push(took.list)
        reply[which].push(took.reply)
      }
    console.log(round === 0 ? 'lists: warmed up' : `lists: round ${round} of ${rounds}`)
  }
  return describeLists(lists.few, measured)
}

const toTimes = (): Times => ({ few: [], many: [] })

const shownIn = (page: Page, baseUrl: string, { organizationId }: Filled) => {
  const shown = (list: string): Shown => ({ path: pathOf(organizationId) + list, selector: 'tbody tr' })
  return (list: string) => shownAfter(page, baseUrl, shown(list))
}

async function replyAfter(baseUrl: string, { organizationId, apiKey }: Filled, list: string): Promise<number> {
  const began = performance.now()
  const path = list.startsWith('persons') ? `/${list}` : `/organizations/${list}`
  const reply = await fetch(`${baseUrl}${path}&limit=25`, {
    headers: { 'service-orgid': organizationId, 'service-api-key': apiKey },
  })
  const { result } = (await reply.json()) as { result?: unknown[] }
  if (!result?.length) throw new Error(`nothing in ${list}`)
  return performance.now() - began
}

function describeLists(lists: string[], measured: { list: Times; reply: Times }[]): string[] {
  const shown = measured.map(({ list, reply }) =>
    [list, reply].map((each) => [figureOf(each.few), figureOf(each.many)]),
  )
  const ratio = ([one, other]: Figure[]) => (other?.median ?? Number.NaN) / (one?.median ?? Number.NaN)
  const rows = shown.map((parts, place) => [
    (lists[place] ?? '').replace(/(since|until|_id)=.*/, '$1').replace(/\?$/, ''),
    ...parts.flatMap((part) => [...part.map((figure) => show(figure, milliseconds)), times(ratio(part))]),
  ])
  const most = Math.max(...shown.map(([list = []]) => ratio(list)))
  const head = ['', 'rows: few', 'many', 'times', 'reply: few', 'many', 'times']
  const judgement = `The list of the larger organization takes ${times(most)} times as long at most; the target is at most ${aims.ratio}: ${verdict(most <= aims.ratio)}.`
  return [table([head, ...rows]), judgement]
}

await withCleanup(async (cleanup) => {
  execFileSync(process.execPath, ['scripts/build-console.mjs', '--strict'], { cwd: join(import.meta.dirname, '..') })
  const machine = describeMachine()
  const stage = await setStage(cleanup)
  const loads = await measureLoads(stage)
  const painted = await measurePaints(stage)
  const slow = await measureSlowNetwork(stage)
  const lists = await measureLists(stage)
  report(
    'console',
    `${machine}, ${stage.postgres}`,
    method,
    ...loads,
    ...painted,
    ...slow,
    `**Lists of an organization with few, ${sizesInWords(few)}, and of one with many, ${sizesInWords(many)}**`,
    ofLists,
    ...lists,
  )
})
