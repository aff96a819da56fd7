import { expect, test } from 'vitest'
import { contrastOf, textOn } from './accent.ts'

test('Contrasts are those of WCAG', () => {
  expect(contrastOf('#ffffff', '#000000')).toBeCloseTo(21)
  expect(contrastOf('#777777', '#ffffff')).toBeCloseTo(4.48, 2)
  expect(contrastOf('#ff0000', '#ffffff')).toBeCloseTo(4.0, 2)
})

test('Text on any colour keeps a contrast of 4.5', () => {
  const steps = Array.from({ length: 18 }, (_, step) => (step * 15).toString(16).padStart(2, '0'))
  for (const red of steps)
    for (const green of steps)
      for (const blue of steps) {
        const color = `#${red}${green}${blue}`
        if (contrastOf(color, textOn(color)) < 4.5) throw new Error(`${color} is hard to read`)
      }
})
