import { expect, test } from 'vitest'
import { run } from './program.ts'

const running = (code: string) => run('the program', { env: {}, args: ['--eval', code] })

test('a line is found that comes in two pieces', async () => {
  const program = running(`process.stdout.write('Lis'); setTimeout(() => console.log('tening: here'), 200)`)
  const [, place] = await program.until(/^Listening: (.*)$/m)
  expect(place).toBe('here')
  await program.ended
})

test('waiting ends with the program, whose output the error has', async () => {
  const program = running(`console.error('no such file')`)
  await expect(program.until(/^Listening/m)).rejects.toThrow('the program ended:\nno such file\n')
})
