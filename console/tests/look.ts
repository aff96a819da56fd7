// Pictures of pages of the console on a Signet with a day behind it: for those who work on it.
//
//   node console/tests/look.ts <folder> [path …]      such as: node console/tests/look.ts /tmp/pictures / /webhooks /webhooks/{billing}
//
// `{billing}`, `{directory}`, `{warehouse}` and `{claims}` stand for the ids of its webhooks; a path that begins with `operator:` is seen
// by the operator, `reader:` by a key that only reads, `new:` by an organization with nothing, `nobody:` without a session.
// Each page at 1280 and 360 pixels, in the light and the dark theme. `--keep` leaves Signet running until Ctrl-C and prints its keys.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { startRealBrowser } from '../../server/tests/support/real-browser.ts'
import { startOwnDatabase } from './support/own-database.ts'
import { type Stage, setStage } from './support/stage.ts'
import { signIn, signInAsOperator, untilQuiet, watch } from './support/visit.ts'

const widths = [1280, 360]
const themes = ['light', 'dark'] as const

const args = process.argv.slice(2).filter((each) => each !== '--keep')
const [folder = 'console/pictures', ...paths] = args
mkdirSync(folder, { recursive: true })
const database = await startOwnDatabase()
console.log('Setting the stage…')
const stage = await setStage(database)
const browser = await startRealBrowser()
try {
  for (const theme of themes) for (const path of paths) await take(path, theme)
  if (process.argv.includes('--keep')) await keep()
} finally {
  await browser.close()
  await stage.stop()
  await database.stop()
}

async function take(asked: string, colorScheme: (typeof themes)[number]) {
  const [, who = 'admin', path = ''] = /^(?:(\w+):)?(.*)$/.exec(asked) ?? []
  const context = await browser.newContext({ colorScheme, viewport: { width: 1280, height: 900 } })
  const faults = await watch(context, stage.signet.baseUrl)
  const page = await enter(context, who, fill(path))
  for (const width of widths) {
    await page.setViewportSize({ width, height: width > 600 ? 900 : 740 })
    await untilQuiet(page)
    await page.waitForTimeout(400)
    const name = `${asked.replace(/[^\w-]+/g, '_')}-${width}-${colorScheme}.png`
    await page.screenshot({ path: join(folder, name), fullPage: true })
    console.log(join(folder, name))
    const wider = await page.evaluate<number>(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    )
    if (wider > 0) console.log(`  wider than the window by ${wider} pixels`)
  }
  for (const fault of faults) console.log(`  ${fault}`)
  await context.close()
}

function fill(path: string) {
  return path.replace(/\{(\w+)\}/g, (_, name: keyof Stage['webhooks']) => stage.webhooks[name])
}

async function enter(context: BrowserContext, who: string, path: string): Promise<Page> {
  const page = await context.newPage()
  const { signet, organization, newOrganization, readOnlyKey } = stage
  if (who === 'nobody') await page.goto(`${signet.baseUrl}/console${path}`)
  else if (who === 'operator') await signInAsOperator(page, signet.baseUrl, signet.operatorKey, path)
  else {
    const ofReader = { ...organization, apiKey: readOnlyKey }
    await signIn(
      page,
      signet.baseUrl,
      who === 'new' ? newOrganization : who === 'reader' ? ofReader : organization,
      path,
    )
  }
  return page
}

async function keep() {
  const { signet, organization, readOnlyKey } = stage
  console.log(`${signet.baseUrl}/console`, organization, { readOnlyKey, operatorKey: signet.operatorKey })
  await new Promise((resolve) => process.once('SIGINT', resolve))
}
