import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { allSettings } from '../../server/src/start/config.ts'
import { root } from '../program.ts'
import { readSections } from './described-settings.ts'
import { pages } from './pages.ts'

test.each(pages)('$path is what the code says; else run `npm run generate -- reference`', async ({ path, render }) => {
  expect(readFileSync(join(root, path), 'utf8')).toBe(await render())
})

test('Each setting has a section and a description of its own', () => {
  const described = readSections().flatMap(({ settings }) => settings)
  expect(described.map(({ name }) => name)).toEqual(expect.arrayContaining(allSettings.map(({ name }) => name)))
  expect(described.filter(({ description }) => !description).map(({ name }) => name)).toEqual([])
})
