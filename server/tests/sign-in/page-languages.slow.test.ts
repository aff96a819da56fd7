import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { languages } from '../../src/ground/http/pages/index.ts'
import { closeSignIns, newTenant, openSignIns } from '../support/own-sign-ins.ts'
import { type Gallery, hangGallery, openGallery, visit } from '../support/page-gallery.ts'
import { startRealBrowser } from '../support/real-browser.ts'

const timeoutMs = 300_000
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

let browser: Browser
let gallery: Gallery
let page: Page

beforeAll(async () => {
  await openSignIns()
  await newTenant()
  browser = await startRealBrowser()
  gallery = await openGallery()
  page = await hangGallery(browser, gallery)
}, timeoutMs)

afterAll(async () => {
  await browser?.close()
  await closeSignIns()
})

describe.each(languages)('Pages in the language %s', { timeout: timeoutMs }, (language) => {
  test(`No page in the language ${language} has an obstacle (axe), in light and dark, on a telephone and a desk`, async () => {
    for (const name of Object.keys(gallery)) {
      await visit(page, name, language)
      expect(await page.evaluate('document.documentElement.lang')).toBe(language)
      for (const colorScheme of ['light', 'dark'] as const)
        for (const width of [390, 1_440]) {
          await page.emulateMedia({ colorScheme })
          await page.setViewportSize({ width, height: 800 })
          const { violations } = await page.evaluate<AxeResults>(`${axe}; axe.run()`)
          const broken = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join()}`)
          expect({ name, colorScheme, width, broken }).toEqual({ name, colorScheme, width, broken: [] })
        }
    }
  })

  test(`No word in the language ${language} is wider than a narrow window`, async () => {
    await page.setViewportSize({ width: 320, height: 700 })
    for (const name of Object.keys(gallery)) {
      await visit(page, name, language)
      const widest = await page.evaluate(
        "Math.max(document.documentElement.scrollWidth, ...[...document.querySelectorAll('main *')].map((element) => element.getBoundingClientRect().right))",
      )
      expect({ name, fits: Number(widest) <= 320 }).toEqual({ name, fits: true })
    }
  })

  test(`Every button and link in the language ${language} is reached by the keyboard`, async () => {
    for (const name of Object.keys(gallery)) {
      await visit(page, name, language)
      const controls = Number(await page.evaluate("document.querySelectorAll('a, button').length"))
      const reached = new Set<unknown>()
      for (let presses = 0; presses < controls; presses++) {
        await page.keyboard.press('Tab')
        reached.add(
          await page.evaluate(
            "document.activeElement.outerHTML + [...document.querySelectorAll('a, button')].indexOf(document.activeElement)",
          ),
        )
        expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid')
      }
      expect({ name, reached: reached.size }).toEqual({ name, reached: controls })
    }
  })
})
