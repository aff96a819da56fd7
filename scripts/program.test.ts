import { expect, test } from 'vitest'
import { run } from './program.ts'

const running = (code: string) => run('the program', { env: {}, args: ['--eval', code] })

test('A line that arrives in two pieces is found', async () => {
  const program = running(`process.stdout.write('Lis'); setTimeout(() => console.log('tening: here'), 200)`)
  const [, place] = await program.until(/^Listening: (.*)$/m)
  expect(place).toBe('here')
  await program.ended
})

test('Waiting for a line ends when the program ends, with an error that has its output', async () => {
  const program = running(`console.error('no such file')`)
  await expect(program.until(/^Listening/m)).rejects.toThrow('the program ended:\nno such file\n')
})
