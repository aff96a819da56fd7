import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isLanguage, type Language } from '../../src/ground/http/pages/index.ts'
import { closeSignIns, newTenant, openSignIns } from '../support/own-sign-ins.ts'
import { type Gallery, hangGallery, openGallery, visit } from '../support/page-gallery.ts'
import { startRealBrowser } from '../support/real-browser.ts'

const { PAGE_PICTURES: folder = 'pictures', PAGE_LANGUAGES: asked = 'en,de,fr' } = process.env
const languages: Language[] = asked.split(',').filter(isLanguage)

let browser: Browser
let gallery: Gallery
let page: Page

beforeAll(async () => {
  await openSignIns()
  await newTenant()
  browser = await startRealBrowser()
  gallery = await openGallery()
  page = await hangGallery(browser, gallery)
  mkdirSync(folder, { recursive: true })
})

afterAll(async () => {
  await browser?.close()
  await closeSignIns()
})

async function take(name: string, language: Language, path: string, size: { width: number; height: number }) {
  await page.setViewportSize(size)
  await visit(page, name, language)
  await page.screenshot({ path, fullPage: true })
}

test('Every page has its pictures', async () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    for (const name of Object.keys(gallery))
      for (const language of languages)
        for (const width of [390, 1_440]) {
          const path = join(folder, `${name}-${language}-${width}-${colorScheme}.png`)
          await take(name, language, path, { width, height: 780 })
        }
  }
  expect(languages.length).toBeGreaterThan(0)
})

test('The documentation has its picture', async () => {
  await page.emulateMedia({ colorScheme: 'light' })
  await take('chooser', 'de', 'docs/pictures/chooser-german.png', { width: 560, height: 600 })
})
