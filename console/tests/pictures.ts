// `npm run generate -- pictures`: every page of the console at two widths and in both themes, on a Signet with a day behind it.
//
//   npm run generate -- pictures [<folder> [<page> …]]      such as: npm run generate -- pictures /tmp/pictures / operator:/organizations
//
// A page is written as in `support/pages.ts`. With `--keep` Signet goes on until Ctrl-C, and its address and keys are printed. With
// `--readme` it takes the one of README.md instead, into docs/pictures.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { startRealBrowser } from '../../server/tests/support/real-browser.ts'
import { startOwnDatabase } from './support/own-database.ts'
import { everyPage, toAddress } from './support/pages.ts'
import { startSignIns } from './support/sign-ins.ts'
import { setStage } from './support/stage.ts'
import { createVisitors, untilQuiet } from './support/visit.ts'

const sizes = [
  { width: 1280, height: 900 },
  { width: 360, height: 740 },
]
const themes = ['light', 'dark'] as const
/** For movements to end, and charts to be drawn. */
const restMs = 400

const tablesWithHiddenColumns =
  "[...document.querySelectorAll('main table')].filter(({ parentElement: frame }) => frame.scrollWidth > frame.clientWidth).length"

/** What the readme shows: the upper part of the home page, in less than 60 kB. */
const ofReadme = { width: 1100, height: 560 }

const [folder = 'console/pictures', ...asked] = process.argv.slice(2).filter((each) => !each.startsWith('--'))
const pages = asked.length > 0 ? asked : everyPage
if (!process.argv.includes('--readme')) mkdirSync(folder, { recursive: true })
console.log('Starting a Signet with a day behind it…')
const database = await startOwnDatabase()
const signIns = await startSignIns()
const stage = await setStage(database, { signIns })
const browser = await startRealBrowser()
try {
  if (process.argv.includes('--readme')) await takeForReadme()
  else for (const theme of themes) await takeAll(theme)
  if (process.argv.includes('--keep')) await keep()
} finally {
  await browser.close()
  await stage.stop()
  await signIns.stop()
  await database.stop()
}

async function takeAll(colorScheme: (typeof themes)[number]) {
  const visitors = createVisitors(browser, stage, { colorScheme })
  for (const [place, written] of pages.entries()) {
    const page = await visitors.open(toAddress(written, stage))
    for (const size of sizes) await take(page, size, `${written.replace(/[^\w-]+/g, '_')}-${size.width}-${colorScheme}`)
    console.log(`${colorScheme}: ${place + 1} of ${pages.length}, ${written}`)
  }
  for (const fault of visitors.faults) console.log(`  ${fault}`)
  await visitors.close()
}

async function take(page: Page, size: { width: number; height: number }, name: string) {
  await page.setViewportSize(size)
  await untilQuiet(page)
  await wait(restMs)
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true })
  const excess = await page.evaluate<number>(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  )
  if (excess > 0) console.log(`  ${name} is wider than the window by ${excess} pixels`)
  const cut = await page.evaluate<number>(tablesWithHiddenColumns)
  if (cut > 0) console.log(`  ${name} has ${cut} tables with columns that are out of sight`)
}

async function takeForReadme() {
  const visitors = createVisitors(browser, stage, { colorScheme: 'light' })
  const page = await visitors.open(toAddress('/', stage))
  await page.setViewportSize(ofReadme)
  await untilQuiet(page)
  await wait(restMs)
  await page.screenshot({ path: 'docs/pictures/console-home.jpg', type: 'jpeg', quality: 60 })
  await visitors.close()
}

async function keep() {
  const { signet, organization, readOnlyKey } = stage
  console.log(`${signet.baseUrl}/console`, organization, { readOnlyKey, operatorKey: signet.operatorKey })
  await new Promise((resolve) => process.once('SIGINT', resolve))
}
