/** A board people run networks on, with the SRAM of its chip; a sketch's own needs come on top of an arena. */
export interface Board {
  id: string;
  name: string;
  chip: string;
  /** Bytes, as the chip's data sheet has them. */
  sram: number;
}

const kKiB = 1024;

/** Ascending by SRAM. */
export const kBoards: readonly Board[] = [
  { id: "uno_r4", name: "Arduino Uno R4", chip: "Renesas RA4M1", sram: 32 * kKiB },
  { id: "black_pill", name: "STM32 Black Pill", chip: "STM32F411", sram: 128 * kKiB },
  { id: "nano_33_ble", name: "Arduino Nano 33 BLE Sense", chip: "nRF52840", sram: 256 * kKiB },
  { id: "pico", name: "Raspberry Pi Pico", chip: "RP2040", sram: 264 * kKiB },
  { id: "disco_f746", name: "STM32F746 Discovery", chip: "STM32F746", sram: 320 * kKiB },
  { id: "sparkfun_edge", name: "SparkFun Edge", chip: "Apollo3 Blue", sram: 384 * kKiB },
  { id: "esp32_s3", name: "ESP32-S3 DevKit", chip: "ESP32-S3", sram: 512 * kKiB },
  { id: "pico_2", name: "Raspberry Pi Pico 2", chip: "RP2350", sram: 520 * kKiB },
  { id: "teensy_41", name: "Teensy 4.1", chip: "i.MX RT1062", sram: 1024 * kKiB },
  { id: "spresense", name: "Sony Spresense", chip: "CXD5602", sram: 1536 * kKiB },
  { id: "coral_micro", name: "Coral Dev Board Micro", chip: "i.MX RT1176", sram: 2048 * kKiB },
  { id: "alif_e7", name: "Alif Ensemble E7", chip: "Ensemble E7", sram: 13824 * kKiB },
];

/** The smallest that holds so many bytes. */
export function smallestBoard(bytes: number): Board | null {
  return kBoards.find((b) => b.sram >= bytes) ?? null;
}
