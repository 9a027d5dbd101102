"""Names as owners, tools and published measurements write them. The lists are copied from public records."""

from __future__ import annotations

import pytest

from configurator.catalogue import (
    UnknownName,
    find_gpu,
    find_link,
    find_model,
    find_server,
    find_weight_format,
    load_catalogue,
    match_gpu,
)

CATALOGUE = load_catalogue()

GPUS = {
    "4090": "nvidia-rtx-4090",
    "RTX 4090 24GB": "nvidia-rtx-4090",
    "NVIDIA GeForce RTX 4090": "nvidia-rtx-4090",
    "RTX 4090 D 24GB": "nvidia-rtx-4090-d",
    "3090": "nvidia-rtx-3090",
    "RTX 3090 24GB": "nvidia-rtx-3090",
    "RTX 3090 Ti": "nvidia-rtx-3090-ti",
    "rtx3080": "nvidia-rtx-3080-10gb",
    "RTX 3080": "nvidia-rtx-3080-10gb",
    "RTX 3080 Ti 12GB": "nvidia-rtx-3080-ti",
    "RTX 3070 8GB": "nvidia-rtx-3070",
    "RTX 3060": "nvidia-rtx-3060-12gb",
    "RTX 2080 Ti": "nvidia-rtx-2080-ti",
    "RTX 4060 8GB": "nvidia-rtx-4060",
    "RTX 4060 Ti 16GB": "nvidia-rtx-4060-ti-16gb",
    "RTX 4070": "nvidia-rtx-4070",
    "RTX 4070 Ti 12GB": "nvidia-rtx-4070-ti",
    "RTX 4070 Ti Super": "nvidia-rtx-4070-ti-super",
    "RTX 4080 16GB": "nvidia-rtx-4080",
    "RTX 5090 32GB": "nvidia-rtx-5090",
    "RTX 5090 32GB (WSL2)": "nvidia-rtx-5090",
    "RTX A4000": "nvidia-rtx-a4000",
    "A5000 24GB": "nvidia-rtx-a5000",
    "A6000": "nvidia-rtx-a6000",
    "RTX 4000 Ada 20GB": "nvidia-rtx-4000-ada",
    "RTX 5000 Ada 32GB": "nvidia-rtx-5000-ada",
    "RTX 6000 Ada 48GB": "nvidia-rtx-6000-ada",
    "pro 6000": "nvidia-rtx-pro-6000-blackwell-ws",
    "RTX PRO 6000 96GB": "nvidia-rtx-pro-6000-blackwell-ws",
    "RTX PRO 6000 Blackwell": "nvidia-rtx-pro-6000-blackwell-ws",
    "RTX PRO 6000 Blackwell 96GB": "nvidia-rtx-pro-6000-blackwell-ws",
    "RTX PRO 6000 Blackwell Server": "nvidia-rtx-pro-6000-blackwell-server",
    "NVIDIA RTX PRO 6000 Blackwell Server Edition": "nvidia-rtx-pro-6000-blackwell-server",
    "RTX PRO 6000 Blackwell Server 96GB": "nvidia-rtx-pro-6000-blackwell-server",
    "pro 6000 max-q": "nvidia-rtx-pro-6000-blackwell-maxq",
    "h100": "nvidia-h100-sxm5-80gb",
    "h100 sxm": "nvidia-h100-sxm5-80gb",
    "h100_sxm": "nvidia-h100-sxm5-80gb",
    "H100 80GB": "nvidia-h100-sxm5-80gb",
    "H100-80GB": "nvidia-h100-sxm5-80gb",
    "H100 SXM (DGX)": "nvidia-h100-sxm5-80gb",
    "H100 SXM (4 of 8 GPUs per node)": "nvidia-h100-sxm5-80gb",
    "DGX-H100": "nvidia-h100-sxm5-80gb",
    "NVIDIA H100 80GB HBM3": "nvidia-h100-sxm5-80gb",
    "H100 PCIe 80GB": "nvidia-h100-pcie-80gb",
    "H100 NVL": "nvidia-h100-nvl-94gb",
    "H200 SXM 141GB": "nvidia-h200-sxm-141gb",
    "H200 NVL": "nvidia-h200-nvl-141gb",
    "H800 SXM": "nvidia-h800-sxm5-80gb",
    "H20 141GB": "nvidia-h20-sxm-141gb",
    "RTX 3050": "nvidia-rtx-3050-8gb",
    "Tesla P100": "nvidia-p100-pcie-16gb",
    "Jetson AGX Orin": "nvidia-jetson-agx-orin-64gb",
    "H20 96GB": "nvidia-h20-sxm-96gb",
    "A800 80GB": "nvidia-a800-sxm4-80gb",
    "a100 80gb": "nvidia-a100-sxm4-80gb",
    "A100": "nvidia-a100-sxm4-80gb",
    "A100 40GB": "nvidia-a100-sxm4-40gb",
    "A100 80GB PCIe": "nvidia-a100-pcie-80gb",
    "A100 80GB PCIe, pairwise NVLink": "nvidia-a100-pcie-80gb",
    "A100 PCIe 40GB": "nvidia-a100-pcie-40gb",
    "A100 SXM 80GB (p4de)": "nvidia-a100-sxm4-80gb",
    "NVIDIA A100-SXM4-80GB": "nvidia-a100-sxm4-80gb",
    "A10 24GB": "nvidia-a10",
    "A10G 24GB": "nvidia-a10g",
    "A40 48GB": "nvidia-a40",
    "L4 24GB": "nvidia-l4",
    "L20 48GB": "nvidia-l20",
    "L40S 48GB": "nvidia-l40s",
    "l40s": "nvidia-l40s",
    "L40": "nvidia-l40",
    "T4": "nvidia-t4",
    "V100 32GB": "nvidia-v100-sxm2-32gb",
    "V100 16GB": "nvidia-v100-sxm2-16gb",
    "V100 PCIe 32GB": "nvidia-v100-pcie-32gb",
    "V100 DGX-1": "nvidia-v100-sxm2-32gb",
    "B200 SXM": "nvidia-b200",
    "b200_sxm": "nvidia-b200",
    "B200 SXM (AWS P6-B200)": "nvidia-b200",
    "GB200 NVL72": "nvidia-gb200",
    "gb200": "nvidia-gb200",
    "DGX-GB300": "nvidia-gb300",
    "GH200": "nvidia-gh200-96gb",
    "spark": "nvidia-gb10-dgx-spark",
    "gb10": "nvidia-gb10-dgx-spark",
    "GB10 (DGX Spark) 121.69 GiB UMA": "nvidia-gb10-dgx-spark",
    "GB10 (DGX Spark) 128GB UMA": "nvidia-gb10-dgx-spark",
    "NVIDIA Thor 128GB UMA": "nvidia-jetson-thor-128gb",
    "MI300X": "amd-mi300x",
    "AMD AI Pro R9700": "amd-r9700",
    "AMD 7900 XT": "amd-rx-7900-xt",
    "7900 xtx": "amd-rx-7900-xtx",
    "AMD Strix Halo": "amd-strix-halo-128gb",
    "AMD Strix Halo (Radeon 8060S) 128GB": "amd-strix-halo-128gb",
    "Intel Arc Pro B60": "intel-arc-pro-b60",
    "gaudi 3": "intel-gaudi-3",
    "Apple M3 Ultra 512GB": "apple-m3-ultra-512gb",
    "Mac Studio (M3 Ultra 512GB)": "apple-m3-ultra-512gb",
    "M2 Ultra 76-Core GPU 192GB": "apple-m2-ultra-192gb",
    "M4 Max 128GB": "apple-m4-max-128gb",
}


@pytest.mark.parametrize(("text", "gpu"), GPUS.items(), ids=list(GPUS))
def test_gpu(text: str, gpu: str) -> None:
    assert find_gpu(CATALOGUE, text).id == gpu


@pytest.mark.parametrize("gpu", list(CATALOGUE.gpus))
def test_every_gpu_is_found_by_id_name_and_alias(gpu: str) -> None:
    record = CATALOGUE.gpus[gpu]
    for text in (record.id, record.name, record.name.upper(), f"{record.vendor} {record.name}", *record.aliases):
        assert find_gpu(CATALOGUE, text).id == gpu, text


def test_an_ambiguous_name_lists_what_else_it_may_mean() -> None:
    """The workstation card is meant where no edition is said; server and Max-Q only if they are."""
    found = match_gpu(CATALOGUE, "RTX PRO 6000 96GB")
    assert found.gpu.id == "nvidia-rtx-pro-6000-blackwell-ws"
    assert set(found.alternatives) == {
        "nvidia-rtx-pro-6000-blackwell-maxq",
        "nvidia-rtx-pro-6000-blackwell-server",
    }
    assert match_gpu(CATALOGUE, "h100 sxm").alternatives == ()
    assert "nvidia-h100-pcie-80gb" in match_gpu(CATALOGUE, "h100").alternatives


@pytest.mark.parametrize(
    ("text", "near"),
    [
        ("RTX 4070 laptop 8GB", "nvidia-rtx-4070-ti"),
        ("RTX 2080 Ti 22GB", "nvidia-rtx-2080-ti"),
        ("AMD RX 6700 XT", "amd-rx-7900-xt"),
        ("H100 96GB", "nvidia-h100-nvl-94gb"),
        ("rtx pro 6000 blakwell", "nvidia-rtx-pro-6000-blackwell-ws"),
    ],
)
def test_an_unknown_gpu_lists_the_nearest(text: str, near: str) -> None:
    with pytest.raises(UnknownName) as error:
        find_gpu(CATALOGUE, text)
    assert near in error.value.nearest
    assert near in str(error.value)
    assert error.value.message.code == "catalogue.unknown_name"


@pytest.mark.parametrize("text", ["", "24GB class (2 GPUs)", "8-GPU class", "unspecified", "mixed PCs", "(", "x" * 300])
def test_text_without_a_card_is_never_a_card(text: str) -> None:
    with pytest.raises(UnknownName):
        find_gpu(CATALOGUE, text)


MODELS: dict[str, tuple[str, str | None]] = {
    "meta-llama/Llama-3.1-70B-Instruct": ("llama-3.1-70b", "bf16"),
    "meta-llama/Llama-3.1-70B": ("llama-3.1-70b", "bf16"),
    "Llama-3.1-8B-Instruct FP8": ("llama-3.1-8b", "fp8-channel"),
    "Llama-3.2-3B-Instruct Q8_0 GGUF": ("llama-3.2-3b", "q8_0"),
    "Meta-Llama-3-70B": ("llama-3-70b", None),
    "Llama-3-70B-Instruct-GPTQ": ("llama-3-70b", "gptq-int4"),
    "RedHatAI/Llama-3.3-70B-Instruct-FP8-dynamic": ("llama-3.3-70b", "fp8-channel"),
    "ibnzterrell/Meta-Llama-3.3-70B-Instruct-AWQ-INT4": ("llama-3.3-70b", "awq-int4"),
    "Llama-3.1-405B-Instruct-FP8": ("llama-3.1-405b", "fp8-channel"),
    "Llama-3.3-70B-Instruct-NVFP4": ("llama-3.3-70b", "nvfp4"),
    "Llama-2-70b": ("llama-2-70b", None),
    "meta-llama/Llama-2-13b-chat-hf": ("llama-2-13b", "fp16"),
    "LLaMA-13B": ("llama-2-13b", None),
    "Mistral-7B": ("mistral-7b-v0.3", None),
    "Mistral-7B-v0.1": ("mistral-7b-v0.1", None),
    "Mixtral-8x7B-Instruct-AWQ": ("mixtral-8x7b", "awq-int4"),
    "mistralai/Mistral-Small-3.2-24B-Instruct-2506": ("mistral-small-3.2-24b", "bf16"),
    "Qwen/Qwen3-32B-FP8": ("qwen3-32b", "fp8"),
    "Qwen/Qwen3-235B-A22B-Instruct-2507-FP8": ("qwen3-235b-a22b", "fp8"),
    "Qwen/Qwen2.5-32B-Instruct-GPTQ-Int4": ("qwen2.5-32b", "gptq-int4"),
    "Qwen2-72B": ("qwen2.5-72b", None),
    "Qwen2.5-7B Q5_K_S": ("qwen2.5-7b", "q5_k_s"),
    "QuantTrio/Qwen3-Coder-480B-A35B-Instruct-AWQ": ("qwen3-coder-480b-a35b", "awq-int4"),
    "QuantTrio/Qwen3.5-397B-A17B-AWQ": ("qwen3.5-397b-a17b", "awq-int4"),
    "nvidia/Qwen3.5-397B-A17B-NVFP4": ("qwen3.5-397b-a17b", "nvfp4"),
    "Qwen3.6-27B": ("qwen3.5-27b", None),
    "Qwen3.6-27B AutoRound-INT4": ("qwen3.5-27b", "gptq-int4"),
    "Qwen3.8-27B UD-Q4_K_XL": ("qwen3.5-27b", "q4_k_m"),
    "qwen3.6-35b-a3b": ("qwen3.5-35b-a3b", None),
    "qwen3.5-122b-a10b-nvfp4 (Sehyo)": ("qwen3.5-122b-a10b", "nvfp4"),
    "deepseek-ai/DeepSeek-R1": ("deepseek-r1", "fp8"),
    "DeepSeek-R1 671B": ("deepseek-r1", None),
    "DeepSeek-R1-0528": ("deepseek-r1", None),
    "DeepSeek-R1-W4AFP8": ("deepseek-r1", "w4a16"),
    "DeepSeek-R1 IQ1_S": ("deepseek-r1", "iq1_s"),
    "nvidia/DeepSeek-R1-NVFP4": ("deepseek-r1", "nvfp4"),
    "deepseek-ai/DeepSeek-Coder-V2-Instruct": ("deepseek-v2", "bf16"),
    "DeepSeek-R1-Distill-Qwen-14B": ("qwen2.5-14b", None),
    "DeepSeek-V4-Flash-0731": ("deepseek-v4-flash", None),
    "lukealonso/GLM-5.1-NVFP4-MTP": ("glm-5.1", "nvfp4"),
    "cpatonn/GLM-4.5-Air-AWQ-4bit": ("glm-4.5-air", "awq-int4"),
    "zai-org/GLM-4.5-Air-FP8": ("glm-4.5-air", "fp8-channel"),
    "MiniMax-M2.7-AWQ": ("minimax-m2.5", "awq-int4"),
    "moonshotai/Kimi-K2.6": ("kimi-k2.5", "int4-g32"),
    "openai/gpt-oss-120b": ("gpt-oss-120b", "mxfp4"),
    "gemma4-31b-it-nvfp4": ("gemma-4-31b", "nvfp4"),
    "gemma4-26b-a4b-it": ("gemma-4-26b-a4b", None),
    "Yi-34B": ("yi-34b", None),
    "unsloth/Llama-3.3-70B-Instruct-bnb-4bit": ("llama-3.3-70b", "nf4"),
    "unsloth/Llama-3.3-70B-Instruct-unsloth-bnb-4bit": ("llama-3.3-70b", "nf4"),
    "Llama-3.3-70B-Instruct-4bit-bitsandbytes": ("llama-3.3-70b", "nf4"),
}


@pytest.mark.parametrize(("text", "expected"), MODELS.items(), ids=list(MODELS))
def test_model(text: str, expected: tuple[str, str | None]) -> None:
    found = find_model(CATALOGUE, text)
    assert (found.model.id, found.weight_format_id) == expected
    assert not found.derived


@pytest.mark.parametrize("model", list(CATALOGUE.models))
def test_every_model_is_found_by_id_name_and_uploads(model: str) -> None:
    record = CATALOGUE.models[model]
    for text in (record.id, record.name, record.hf_id, record.hf_id.upper(), *record.hf_variants):
        assert find_model(CATALOGUE, text).model.id == model, text
    for checkpoint in record.checkpoints:
        found = find_model(CATALOGUE, checkpoint.hf_id)
        assert found.model.id == model
        assert found.checkpoint is not None
        assert found.weight_format_id == found.checkpoint.weight_format


@pytest.mark.parametrize(
    ("text", "model"),
    [("ThinkingCap-Qwen3.6-27B", "qwen3.5-27b"), ("Qwen3.6-35B-A3B-Cerebellum-v3", "qwen3.5-35b-a3b")],
)
def test_a_fine_tune_is_taken_for_its_base_and_says_so(text: str, model: str) -> None:
    found = find_model(CATALOGUE, text)
    assert found.model.id == model
    assert found.derived


@pytest.mark.parametrize(
    "text", ["70B", "a large model", "", "gpt2-xl", "StableLM Alpha", "Falcon", "Llama 2", "7B-72B"]
)
def test_text_without_one_model_is_an_error(text: str) -> None:
    with pytest.raises(UnknownName):
        find_model(CATALOGUE, text)


def test_an_unknown_model_lists_the_nearest() -> None:
    with pytest.raises(UnknownName) as error:
        find_model(CATALOGUE, "DeepSeek-V4.1-Flash")
    assert "deepseek-v4-flash" in error.value.nearest


@pytest.mark.parametrize(
    ("text", "format_id"),
    [
        ("BF16", "bf16"),
        ("int4", "awq-int4"),
        ("4-bit", "awq-int4"),
        ("fp8-dynamic", "fp8-channel"),
        ("Q4_K_M", "q4_k_m"),
        ("q4", "q4_k_m"),
        ("Q8", "q8_0"),
        ("gptq", "gptq-int4"),
        ("NVFP4", "nvfp4"),
        ("w4a16", "w4a16"),
    ],
)
def test_weight_format(text: str, format_id: str) -> None:
    assert find_weight_format(CATALOGUE, text).id == format_id
    with pytest.raises(UnknownName):
        find_weight_format(CATALOGUE, "5-and-a-bit")


def test_links_and_servers() -> None:
    assert find_link(CATALOGUE, "eth-25g").id == "eth-25g"
    assert find_link(CATALOGUE, "InfiniBand NDR").id == "ib-ndr"
    assert find_link(CATALOGUE, "200 GbE, RoCE v2").id == "eth-200g-roce"
    assert find_server(CATALOGUE, "Dell R760xa").id == "dell-r760xa-4gpu"
    assert find_server(CATALOGUE, "dgx-spark").id == "dgx-spark"
    with pytest.raises(UnknownName) as error:
        find_server(CATALOGUE, "dell xe7745x")
    assert "dell-xe7745" in error.value.nearest
