import { ShortText } from '../design/text.tsx'
import styles from './provider-mark.module.css'
import type { Provider } from './providers.ts'
import { providers } from './providers.ts'

type Drawing = { colour: string; shape: string }

/** Drawn for Signet: a colour, a shape and the first letter. None is the sign of the provider, nor like it. */
const drawings: Record<Provider, Drawing> = {
  provider_a: { colour: '#0f766e', shape: 'M16 3a13 13 0 1 1 0 26 13 13 0 0 1 0-26z' },
  provider_b: { colour: '#8a5a00', shape: 'M9.5 4.5h13L29 16l-6.5 11.5h-13L3 16z' },
  provider_c: { colour: '#a8452a', shape: 'M16 2.5 29.5 16 16 29.5 2.5 16z' },
  provider_d: { colour: '#4a4ea8', shape: 'M3 29V3l26 26z' },
  provider_e: { colour: '#4d6b1a', shape: 'M3 3h13v13h13v13H16V16H3z' },
  provider_f: { colour: '#9d2a6b', shape: 'M3 12h26v8H3z' },
  provider_g: { colour: '#7a3ea8', shape: 'M3 29a26 26 0 0 1 26-26v26z' },
  provider_h: { colour: '#475569', shape: 'M12 3h8v9h9v8h-9v9h-8v-9H3v-8h9z' },
  oidc: { colour: '#0b5f8a', shape: 'M16 3l4 9 9 4-9 4-4 9-4-9-9-4 9-4z' },
}

/** Decoration: the provider's name stands beside it. */
export function ProviderMark({ provider, size = 24 }: { provider: Provider; size?: number }) {
  const { colour, shape } = drawings[provider]
  return (
    <svg className={styles.mark} width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="8" fill={colour} />
      <path d={shape} fill="#fff" fillOpacity="0.16" />
      <text x="16" y="21.5" textAnchor="middle" fontSize="15" fontWeight="700" fill="#fff">
        {providers[provider].name.slice(0, 1)}
      </text>
    </svg>
  )
}

type ProviderNameProps = { provider: Provider; label?: string }

/** A provider by its mark and its name, or a credential by its label. */
export const ProviderName = ({ provider, label }: ProviderNameProps) => (
  <span className={styles.name}>
    <ProviderMark provider={provider} size={20} />
    {label ? <ShortText>{label}</ShortText> : providers[provider].name}
  </span>
)
