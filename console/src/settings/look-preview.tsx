import { useSession } from '../session/session.ts'
import styles from './look-preview.module.css'

type LookPreviewProps = { name: string; accent: string; logo: string | undefined }

const colorForm = /^#[0-9a-f]{6}$/i

/** How a page of a sign-in will look, as far as the form has it. */
export function LookPreview({ name, accent, logo }: LookPreviewProps) {
  const { name: organization } = useSession()
  const shown = name || organization
  const colour = colorForm.test(accent) ? { '--page-accent': accent, '--on-page-accent': textOn(accent) } : {}
  return (
    <figure className={styles.preview}>
      <figcaption>Preview</figcaption>
      <div className={styles.page} style={colour as React.CSSProperties}>
        {(logo || name || accent) && (
          <div className={styles.brand}>{logo ? <img src={pathOf(logo)} alt={shown ?? ''} /> : shown}</div>
        )}
        <p className={styles.heading}>This sign-in cannot go on</p>
        <p>Please go back to Example and sign in again.</p>
        <p className={styles.button}>Sign in again</p>
      </div>
    </figure>
  )
}

/** A browser that comes to the console by another name loads the picture by that one too. */
const pathOf = (url: string) => new URL(url).pathname

/** As the service chooses it: black or white, by the contrast of WCAG. */
function textOn(color: string) {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
  return 1.05 / (luminance + 0.05) >= (luminance + 0.05) / 0.05 ? '#ffffff' : '#000000'
}
