/** A problem that is one click away. Its file is copied from the project's test data when the site is built. */
export interface Sample {
  id: string;
  title: string;
  kind: "network" | "control flow" | "intervals" | "small case";
  /** What to look for. */
  look: string;
  url: string;
}

const kFiles = import.meta.glob(
  [
    "../../tests/data/corpus/graphs/{person_detect.et,mobilenet_v2_1.0_224_quant,resnet50,densenet121,ppocrv4_rec,whisper_tiny_encoder_1l,onnx_range_loop}.json",
    "../../tests/data/cases/16-a-tiny-one-splits-the-arena.json",
    "../../tests/data/cases/18-two-conds-first-result-still-live.json",
    "../../tests/data/cases/40-order-decides-the-peak.json",
    "../../tests/data/intervals/D.1048576.csv",
  ],
  { query: "?url&no-inline", import: "default", eager: true },
) as Record<string, string>;

function urlOf(name: string): string {
  const key = Object.keys(kFiles).find((k) => k.endsWith(`/${name}`));
  return key ? (kFiles[key] as string) : "";
}

export const kSamples: readonly Sample[] = [
  {
    id: "person_detect",
    title: "Person detection",
    kind: "network",
    look: "TFLite Micro's classic for a camera the size of a coin: see which one layer sets the whole 54 KiB.",
    url: urlOf("person_detect.et.json"),
  },
  {
    id: "mobilenet_v2",
    title: "MobileNet v2",
    kind: "network",
    look: "65 tensors of 6.7 MiB share 1.4 MiB: the peak is in the first blocks, the rest of the arena stands empty.",
    url: urlOf("mobilenet_v2_1.0_224_quant.json"),
  },
  {
    id: "resnet50",
    title: "ResNet-50",
    kind: "network",
    look: "Residual blocks keep one tensor alive across three others: four flights of stairs, each half as high.",
    url: urlOf("resnet50.json"),
  },
  {
    id: "densenet121",
    title: "DenseNet-121",
    kind: "network",
    look: "Every layer reads all before it. Colour by lifetime and watch the concatenations pile up.",
    url: urlOf("densenet121.json"),
  },
  {
    id: "ppocrv4_rec",
    title: "PP-OCR v4 recognition",
    kind: "network",
    look: "Hundreds of small tensors around a few large ones: naive placing takes 68 times the memory.",
    url: urlOf("ppocrv4_rec.json"),
  },
  {
    id: "whisper_tiny",
    title: "Whisper tiny, one encoder layer",
    kind: "network",
    look: "Two tensors of 51.5 MiB about one softmax are the peak. No placing can help: only the operator itself, by working in place, could.",
    url: urlOf("whisper_tiny_encoder_1l.json"),
  },
  {
    id: "two_conds",
    title: "Two conditionals",
    kind: "control flow",
    look: "The first result is read after the second branch has run. Compare today’s ExecuTorch: its plan overwrites it.",
    url: urlOf("18-two-conds-first-result-still-live.json"),
  },
  {
    id: "range_loop",
    title: "A loop from ONNX",
    kind: "control flow",
    look: "The loop's body is a lane of its own: its bytes exist only while the loop node runs.",
    url: urlOf("onnx_range_loop.json"),
  },
  {
    id: "minimalloc_d",
    title: "MiniMalloc D",
    kind: "intervals",
    look: "A benchmark problem from Google. MiniMalloc found 1,031,168 bytes, the bound is 986,112. Give the search some seconds and watch.",
    url: urlOf("D.1048576.csv"),
  },
  {
    id: "tiny_splits",
    title: "A tiny one splits the arena",
    kind: "small case",
    look: "64 long-lived bytes in the wrong place nearly double the arena. Try the algorithms against each other.",
    url: urlOf("16-a-tiny-one-splits-the-arena.json"),
  },
  {
    id: "order_peak",
    title: "Order decides the peak",
    kind: "small case",
    look: "No placing goes below 1,920 bytes in this order; the hints name an order that needs 1,152.",
    url: urlOf("40-order-decides-the-peak.json"),
  },
];
