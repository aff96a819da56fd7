import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['server/**/*.test.ts', 'proto/**/*.test.ts', 'scripts/**/*.test.ts'],
    globalSetup: 'server/tests/support/global-setup.ts',
    // Two cores: more workers than this only wait for each other.
    maxWorkers: 3,
    testTimeout: 20_000,
    hookTimeout: 30_000,
    passWithNoTests: false,
  },
})
